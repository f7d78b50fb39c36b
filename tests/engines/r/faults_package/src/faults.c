#include <stdio.h>
#include <stdlib.h>
#include <Rinternals.h>

SEXP faults_null(void)
{
    volatile int *nowhere = NULL;
    printf("LOUD before the end\n");
    return ScalarInteger(*nowhere);
}

SEXP faults_abort(void)
{
    abort();
    return R_NilValue;
}

SEXP faults_print(void)
{
    printf("LOUD C\n");
    fprintf(stderr, "LOUD C stderr\n");
    return R_NilValue;
}
