import java.io.File;
import java.io.PrintWriter;
import java.util.Random;
import javax.swing.DefaultListModel;
import weka.classifiers.Classifier;
import weka.classifiers.bayes.NaiveBayes;
import weka.classifiers.trees.J48;
import weka.experiment.CSVResultListener;
import weka.experiment.ClassifierSplitEvaluator;
import weka.experiment.CrossValidationResultProducer;
import weka.experiment.Experiment;
import weka.experiment.InstancesResultListener;
import weka.experiment.PropertyNode;
import weka.experiment.RandomSplitResultProducer;
import weka.experiment.ResultListener;
import weka.experiment.ResultProducer;

/**
 * Makes weka.csv and weka.arff by Weka's Experimenter: java -cp weka.jar MakeWeka.java
 *
 * <p>weka.csv: naive Bayes and J48 (twice, with other options) on two made-up data sets, two runs of
 * a three-fold cross-validation. weka.arff: two learners on one of them, four random splits.
 */
public class MakeWeka {
    static File data(String name, int n, long seed) throws Exception {
        Random random = new Random(seed);
        File file = new File(System.getProperty("java.io.tmpdir"), name + ".arff");
        try (PrintWriter out = new PrintWriter(file)) {
            out.println("@relation " + name);
            out.println("@attribute x numeric\n@attribute z numeric\n@attribute y {no,yes}\n@data");
            for (int i = 0; i < n; i++) {
                boolean yes = random.nextBoolean();
                double x = random.nextGaussian() + (yes ? 1 : 0);
                out.println(x + "," + random.nextGaussian() + "," + (yes ? "yes" : "no"));
            }
        }
        return file;
    }

    static void run(ResultProducer producer, ClassifierSplitEvaluator evaluator, Classifier[] learners,
            ResultListener to, int runs, File... files) throws Exception {
        Experiment experiment = new Experiment();
        experiment.setUsePropertyIterator(true);
        PropertyNode[] path = {
            new PropertyNode(evaluator, new java.beans.PropertyDescriptor("splitEvaluator",
                producer.getClass()), producer.getClass()),
            new PropertyNode(evaluator.getClassifier(), new java.beans.PropertyDescriptor("classifier",
                ClassifierSplitEvaluator.class), ClassifierSplitEvaluator.class)};
        experiment.setResultProducer(producer);
        experiment.setPropertyPath(path);
        experiment.setPropertyArray(learners);
        DefaultListModel<File> model = new DefaultListModel<>();
        for (File file : files) model.addElement(file);
        experiment.setDatasets(model);
        experiment.setRunLower(1);
        experiment.setRunUpper(runs);
        experiment.setResultListener(to);
        experiment.initialize();
        experiment.runExperiment();
        experiment.postProcess();
    }

    public static void main(String[] arguments) throws Exception {
        File first = data("first", 60, 1), second = data("second", 45, 2);
        J48 unpruned = new J48();
        unpruned.setUnpruned(true);
        unpruned.setMinNumObj(4);

        CrossValidationResultProducer cross = new CrossValidationResultProducer();
        cross.setNumFolds(3);
        ClassifierSplitEvaluator evaluator = new ClassifierSplitEvaluator();
        cross.setSplitEvaluator(evaluator);
        CSVResultListener csv = new CSVResultListener();
        csv.setOutputFile(new File("weka.csv"));
        run(cross, evaluator, new Classifier[] {new NaiveBayes(), new J48(), unpruned}, csv, 2, first,
            second);

        RandomSplitResultProducer random = new RandomSplitResultProducer();
        random.setTrainPercent(66.0);
        random.setRandomizeData(true);
        ClassifierSplitEvaluator other = new ClassifierSplitEvaluator();
        random.setSplitEvaluator(other);
        InstancesResultListener arff = new InstancesResultListener();
        arff.setOutputFile(new File("weka.arff"));
        run(random, other, new Classifier[] {new NaiveBayes(), new J48()}, arff, 4, first);
    }
}
