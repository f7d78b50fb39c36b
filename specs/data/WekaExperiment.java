import java.beans.PropertyDescriptor;
import java.io.File;
import javax.swing.DefaultListModel;
import weka.classifiers.Classifier;
import weka.classifiers.bayes.NaiveBayes;
import weka.classifiers.lazy.IBk;
import weka.classifiers.trees.J48;
import weka.experiment.CSVResultListener;
import weka.experiment.ClassifierSplitEvaluator;
import weka.experiment.CrossValidationResultProducer;
import weka.experiment.Experiment;
import weka.experiment.PropertyNode;

/**
 * The experiment behind weka_experiment.csv.gz, as Weka's Experimenter makes it by itself: ten runs of a
 * ten-fold cross-validation of each learner on each data set.
 *
 * <p>java -cp weka.jar WekaExperiment.java RESULT.csv DATA.arff...
 */
public class WekaExperiment {
    public static void main(String[] arguments) throws Exception {
        CrossValidationResultProducer producer = new CrossValidationResultProducer();
        ClassifierSplitEvaluator evaluator = new ClassifierSplitEvaluator();
        producer.setSplitEvaluator(evaluator);
        CSVResultListener results = new CSVResultListener();
        results.setOutputFile(new File(arguments[0]));
        DefaultListModel<File> files = new DefaultListModel<>();
        for (int i = 1; i < arguments.length; i++) files.addElement(new File(arguments[i]));

        Experiment experiment = new Experiment();
        experiment.setResultProducer(producer);
        experiment.setResultListener(results);
        experiment.setUsePropertyIterator(true);
        experiment.setPropertyPath(new PropertyNode[] {
            new PropertyNode(evaluator, new PropertyDescriptor("splitEvaluator",
                CrossValidationResultProducer.class), CrossValidationResultProducer.class),
            new PropertyNode(evaluator.getClassifier(), new PropertyDescriptor("classifier",
                ClassifierSplitEvaluator.class), ClassifierSplitEvaluator.class)});
        experiment.setPropertyArray(new Classifier[] {new J48(), new NaiveBayes(), new IBk()});
        experiment.setDatasets(files);
        experiment.setRunLower(1);
        experiment.setRunUpper(10);
        experiment.initialize();
        experiment.runExperiment();
        experiment.postProcess();
    }
}
