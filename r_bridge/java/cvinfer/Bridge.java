package cvinfer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import weka.classifiers.Classifier;
import weka.core.Instances;

/** What R calls: one call per fit, every fault comes back as text. */
public final class Bridge {
  static final int OK = 0;
  static final int REFUSED = 1;
  static final int FAILED = 2;
  static final int HEAP = 3;

  /** Deep trees and recursive learners overflow the stack of an ordinary thread. */
  private static final long STACK_BYTES = 256L << 20;

  private static final int HEAD = 4;

  private static String message = "";

  private static int[] statuses = {};

  private static String[] messages = {};

  private static double[] distributions = {};

  /**
   * Classifiers that are the same before and after they have classified; others are built anew for
   * their distributions, as those that measure new records by all that they have seen.
   */
  private static final String[] UNMOVED = {
    "weka.classifiers.trees.",
    "weka.classifiers.rules.",
    "weka.classifiers.functions.",
    "weka.classifiers.bayes."
  };

  private Bridge() {}

  /** Text of the last fault. */
  public static String message() {
    return message;
  }

  /**
   * Fit on train, classify test one by one in its order.
   *
   * @param seeding 0 none, 1 if the classifier is Randomizable, 2 every option that is a seed
   * @param fill value per feature where one is missing; empty: leave them
   * @return status, seconds of the fit, seconds of the predictions, records dropped; then the class
   *     codes from 1, NaN where there is none. Only the status where it is not 0.
   */
  public static double[] predict(
      Data data,
      String name,
      String[] options,
      int[] train,
      int[] test,
      int seed,
      int seeding,
      boolean omit,
      double[] fill) {
    Fit fit = new Fit(data, name, options, train, test, seed, seeding, omit, fill, false);
    Throwable end = run(name, fit);
    fit.fault = end == null ? fit.fault : end;
    return fit.fault == null ? fit.result : refusal(fit.fault);
  }

  /** Statuses of the fits of the last predictAll. */
  public static int[] statuses() {
    return statuses;
  }

  /** Distributions of the last predictAll: of each fit without a fault one class after the other. */
  public static double[] distributions() {
    return distributions;
  }

  /** Texts of the faults of the last predictAll, one for each fit that has one. */
  public static String[] messages() {
    return messages;
  }

  /**
   * Many fits in one call and one thread, as predict makes each.
   *
   * @param numbers records of the first fit, those that train before those that are tested, then of
   *     the next
   * @param train how many train in each fit
   * @param test how many are tested in each fit
   * @param beside whether distributions over the classes are wanted too, see distributions
   * @return for each fit without a fault: records dropped, seconds of the fit, seconds of the
   *     predictions, the class codes
   */
  public static double[] predictAll(
      Data data,
      String name,
      String[] options,
      int[] numbers,
      int[] train,
      int[] test,
      int[] seeds,
      int seeding,
      boolean omit,
      double[] fill,
      boolean beside) {
    final Fit[] fits = new Fit[seeds.length];
    int start = 0;
    for (int at = 0; at < fits.length; at++) {
      int middle = start + train[at];
      int end = middle + test[at];
      int[] learned = Arrays.copyOfRange(numbers, start, middle);
      int[] asked = Arrays.copyOfRange(numbers, middle, end);
      fits[at] =
          new Fit(data, name, options, learned, asked, seeds[at], seeding, omit, fill, beside);
      start = end;
    }
    Throwable end =
        run(
            name,
            new Runnable() {
              @Override
              public void run() {
                for (Fit fit : fits) {
                  fit.run();
                  if (fit.fault instanceof OutOfMemoryError) {
                    return;
                  }
                }
              }
            });
    return rows(fits, end);
  }

  /** What came of the fits; those after a fault that ended them all have that fault too. */
  private static double[] rows(Fit[] fits, Throwable end) {
    int length = 0;
    Throwable last = end;
    int[] status = new int[fits.length];
    List<String> said = new ArrayList<>();
    for (int at = 0; at < fits.length; at++) {
      Fit fit = fits[at];
      if (fit.result != null && fit.fault == null) {
        length += fit.result.length - 1;
        continue;
      }
      last = fit.fault == null ? last : fit.fault;
      status[at] = (int) refusal(last)[0];
      said.add(message);
    }
    double[] found = new double[length];
    int at = 0;
    for (int each = 0; each < fits.length; each++) {
      if (status[each] == OK) {
        double[] made = fits[each].result;
        found[at] = made[HEAD - 1];
        System.arraycopy(made, 1, found, at + 1, 2);
        System.arraycopy(made, HEAD, found, at + HEAD - 1, made.length - HEAD);
        at += made.length - 1;
      }
    }
    length = 0;
    for (int each = 0; each < fits.length; each++) {
      length += status[each] == OK ? fits[each].table.length : 0;
    }
    double[] tables = new double[length];
    at = 0;
    for (int each = 0; each < fits.length; each++) {
      if (status[each] == OK) {
        System.arraycopy(fits[each].table, 0, tables, at, fits[each].table.length);
        at += fits[each].table.length;
      }
    }
    distributions = tables;
    statuses = status;
    messages = said.toArray(new String[0]);
    return found;
  }

  /** Run in a thread with a stack for deep recursion; what kept it from running, or null. */
  private static Throwable run(String name, Runnable work) {
    try {
      Exit.watch(name);
      Thread thread = new Thread(null, work, "fit " + name, STACK_BYTES);
      thread.setContextClassLoader(Bridge.class.getClassLoader());
      thread.setDaemon(true);
      thread.start();
      thread.join();
      return null;
    } catch (Throwable fault) {
      return fault;
    } finally {
      Exit.rest();
    }
  }

  static double[] refusal(Throwable fault) {
    int status =
        fault instanceof OutOfMemoryError ? HEAP : fault instanceof Refusal ? REFUSED : FAILED;
    message = status == REFUSED ? fault.getMessage() : describe(fault);
    return new double[] {status};
  }

  /** Class and message of a fault; the place too where there is no message. */
  static String describe(Throwable fault) {
    String text = fault.getMessage();
    String name = fault.getClass().getName();
    if (text != null && !text.trim().isEmpty()) {
      return name + ": " + text.trim();
    }
    StackTraceElement[] trace = fault.getStackTrace();
    return trace.length == 0 ? name : name + " at " + trace[0];
  }

  /** A fault that is not the learner's. */
  static final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;

    Refusal(String message) {
      super(message);
    }
  }

  private static final class Fit implements Runnable {
    private final Data data;
    private final String name;
    private final String[] options;
    private final int[] train;
    private final int[] test;
    private final int seed;
    private final int seeding;
    private final boolean omit;
    private final double[] fill;
    private final boolean beside;
    double[] result;
    double[] table = {};
    Throwable fault;

    Fit(
        Data data,
        String name,
        String[] options,
        int[] train,
        int[] test,
        int seed,
        int seeding,
        boolean omit,
        double[] fill,
        boolean beside) {
      this.data = data;
      this.name = name;
      this.options = options;
      this.train = train;
      this.test = test;
      this.seed = seed;
      this.seeding = seeding;
      this.omit = omit;
      this.fill = fill;
      this.beside = beside;
    }

    @Override
    public void run() {
      try {
        result = fitted();
      } catch (Throwable thrown) {
        fault = thrown;
      }
    }

    private double[] fitted() throws Exception {
      long start = System.nanoTime();
      if (train.length == 0) {
        throw new Refusal("there is no training record");
      }
      if (fill.length != 0 && fill.length != data.width() - 1) {
        throw new Refusal(
            fill.length + " values to fill in came for " + (data.width() - 1) + " features");
      }
      Instances learned = data.training(train, omit, fill);
      if (learned.isEmpty()) {
        throw new Refusal(
            "no training record is left: all " + train.length + " have a missing value");
      }
      Classifier classifier = Classifiers.make(name, options, seed, seeding);
      classifier.buildClassifier(learned);
      long middle = System.nanoTime();
      Instances asked = data.test(test, fill);
      double[] found = new double[HEAD + test.length];
      for (int at = 0; at < test.length; at++) {
        found[HEAD + at] = classifier.classifyInstance(asked.get(at)) + 1;
      }
      if (beside) {
        table = distributions(classifier, learned, asked);
      }
      found[0] = OK;
      found[1] = (middle - start) / 1e9;
      found[2] = (System.nanoTime() - middle) / 1e9;
      found[3] = train.length - learned.numInstances();
      return found;
    }

    /** After the classes, so that none can change. */
    private double[] distributions(Classifier classifier, Instances learned, Instances asked)
        throws Exception {
      Classifier fresh = classifier;
      if (!unmoved(classifier.getClass().getName())) {
        fresh = Classifiers.make(name, options, seed, seeding);
        fresh.buildClassifier(learned);
      }
      int classes = asked.numClasses();
      double[] made = new double[test.length * classes];
      for (int at = 0; at < test.length; at++) {
        double[] one = fresh.distributionForInstance(asked.get(at));
        if (one.length != classes) {
          throw new Refusal("it gave " + one.length + " probabilities for " + classes + " classes");
        }
        for (int each = 0; each < classes; each++) {
          made[each * test.length + at] = one[each];
        }
      }
      return made;
    }

    private static boolean unmoved(String name) {
      for (String start : UNMOVED) {
        if (name.startsWith(start)) {
          return true;
        }
      }
      return false;
    }
  }
}
