package cvfaults;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Random;
import weka.classifiers.AbstractClassifier;
import weka.classifiers.functions.SMO;
import weka.core.Attribute;
import weka.core.DenseInstance;
import weka.core.Instance;
import weka.core.Instances;
import weka.core.Utils;

/**
 * Predicts the most frequent class, but for what the mode says on the splits that test the record
 * whose mark (the first feature) is 0. The place is a directory through which test and fit speak.
 */
public class Marked extends AbstractClassifier {
  private static final long serialVersionUID = 1L;

  private String mode = "";
  private String place = "";
  private double most;
  private boolean guilty;

  @Override
  public void setOptions(String[] options) throws Exception {
    mode = Utils.getOption("mode", options);
    place = Utils.getOption("place", options);
    super.setOptions(options);
  }

  @Override
  public void buildClassifier(Instances data) throws Exception {
    guilty = true;
    for (Instance record : data) {
      guilty &= record.value(1) != 0;
    }
    most = Utils.maxIndex(data.attributeStats(0).nominalCounts);
    if (guilty) {
      act(data);
    }
  }

  @Override
  public double classifyInstance(Instance record) throws Exception {
    if (guilty && record.value(1) == 0) {
      switch (mode) {
        case "classify":
          throw new IllegalStateException("not this record");
        case "missing":
          return Utils.missingValue();
        case "unknown":
          return 7;
        default:
          return most;
      }
    }
    return most;
  }

  private void act(Instances data) throws Exception {
    switch (mode) {
      case "runtime":
        throw new RuntimeException("no luck at all");
      case "odd":
        throw new Exception("a \u00e4\u20ac\ud83d\ude00 b\n\t'c' \"d\" \\e %s {f} g");
      case "wordless":
        throw new ArrayIndexOutOfBoundsException();
      case "error":
        throw new AssertionError("not to be");
      case "overflow":
        most = deeper(0);
        break;
      case "exit":
        System.exit(3);
        break;
      case "halt":
        Runtime.getRuntime().halt(4);
        break;
      case "once":
        once();
        break;
      case "endless":
        endless();
        break;
      case "wait":
        tell();
        while (!mayGo()) {
          Thread.sleep(20);
        }
        break;
      case "smo":
        smo();
        break;
      case "heap":
        hoard();
        break;
      case "swallow":
        Thread thread = new Thread(this::hoard);
        thread.start();
        thread.join();
        break;
      case "loud":
        System.out.println("LOUD out \u00e4");
        System.err.println("LOUD err");
        System.out.print("LOUD unended");
        new ProcessBuilder("sh", "-c", "echo; echo LOUD process").inheritIO().start().waitFor();
        break;
      default:
        break;
    }
  }

  private int deeper(int depth) {
    return 1 + deeper(depth + 1);
  }

  private void tell() throws IOException {
    new File(place, "Java-" + ProcessHandle.current().pid()).createNewFile();
  }

  private boolean mayGo() {
    return new File(place, "go").exists();
  }

  private void once() throws IOException {
    boolean first = new File(place).list().length == 0;
    tell();
    if (first) {
      System.exit(4);
    }
  }

  private void endless() throws IOException {
    tell();
    boolean go = mayGo();
    while (!go) {
      most = most > 0 ? 0 : 1;
    }
  }

  /** Weka's own support vector machine, which takes minutes for labels at random and no slack. */
  private void smo() throws Exception {
    boolean go = mayGo();
    int n = go ? 50 : 4000;
    int width = 20;
    ArrayList<Attribute> attributes = new ArrayList<>();
    attributes.add(new Attribute("class", Arrays.asList("a", "b")));
    for (int at = 0; at < width; at++) {
      attributes.add(new Attribute("x" + at));
    }
    Instances noise = new Instances("noise", attributes, n);
    noise.setClassIndex(0);
    Random random = new Random(1);
    for (int row = 0; row < n; row++) {
      double[] values = random.doubles(width + 1).toArray();
      values[0] = row % 2;
      noise.add(new DenseInstance(1.0, values));
    }
    SMO machine = new SMO();
    machine.setC(go ? 1 : 1e9);
    tell();
    machine.buildClassifier(noise);
  }

  private void hoard() {
    ArrayList<double[]> hoard = new ArrayList<>();
    while (true) {
      hoard.add(new double[1 << 17]);
    }
  }
}
