import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import weka.classifiers.AbstractClassifier;
import weka.classifiers.Classifier;
import weka.core.Attribute;
import weka.core.DenseInstance;
import weka.core.Instances;

/**
 * The floor of benchmarks/weka.py: the same fits with nothing around Weka.
 *
 * <p>Arguments: the data (one line a record, class code and numbers), the splits (two lines each,
 * numbers of the training and of the test records), the class name, where predictions go. Prints
 * the seconds for all fits and predictions, without the start and the reading of files.
 */
public final class PureWeka {
  public static void main(String[] arguments) throws Exception {
    Instances all = read(Paths.get(arguments[0]));
    List<int[]> halves = new ArrayList<>();
    for (String line : Files.readAllLines(Paths.get(arguments[1]))) {
      halves.add(numbers(line));
    }
    List<int[]> made = new ArrayList<>();
    long start = System.nanoTime();
    for (int at = 0; at < halves.size(); at += 2) {
      Classifier classifier = AbstractClassifier.forName(arguments[2], new String[0]);
      classifier.buildClassifier(chosen(all, halves.get(at)));
      int[] test = halves.get(at + 1);
      Instances asked = chosen(all, test);
      int[] codes = new int[test.length];
      for (int i = 0; i < codes.length; i++) {
        codes[i] = (int) classifier.classifyInstance(asked.instance(i));
      }
      made.add(codes);
    }
    System.out.println((System.nanoTime() - start) / 1e9);
    try (PrintWriter out = new PrintWriter(arguments[3], "UTF-8")) {
      for (int[] codes : made) {
        StringBuilder line = new StringBuilder();
        for (int code : codes) {
          line.append(code).append(' ');
        }
        out.println(line.toString().trim());
      }
    }
  }

  private static Instances chosen(Instances all, int[] records) {
    Instances some = new Instances(all, records.length);
    for (int record : records) {
      some.add(all.instance(record));
    }
    return some;
  }

  private static Instances read(Path path) throws IOException {
    List<double[]> rows = new ArrayList<>();
    int classes = 0;
    try (BufferedReader reader = Files.newBufferedReader(path, StandardCharsets.UTF_8)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        String[] words = line.split(" ");
        double[] row = new double[words.length];
        for (int j = 0; j < row.length; j++) {
          row[j] = Double.parseDouble(words[j]);
        }
        classes = Math.max(classes, (int) row[0] + 1);
        rows.add(row);
      }
    }
    ArrayList<String> labels = new ArrayList<>();
    for (int code = 0; code < classes; code++) {
      labels.add("c" + code);
    }
    ArrayList<Attribute> attributes = new ArrayList<>();
    attributes.add(new Attribute("class", labels));
    for (int j = 1; j < rows.get(0).length; j++) {
      attributes.add(new Attribute("x" + j));
    }
    Instances all = new Instances("letters", attributes, rows.size());
    all.setClassIndex(0);
    for (double[] row : rows) {
      all.add(new DenseInstance(1.0, row));
    }
    return all;
  }

  private static int[] numbers(String line) {
    String[] words = line.split(" ");
    int[] found = new int[words.length];
    for (int i = 0; i < found.length; i++) {
      found[i] = Integer.parseInt(words[i]);
    }
    return found;
  }
}
