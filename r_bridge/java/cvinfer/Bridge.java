package cvinfer;

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
    Fit fit = new Fit(data, name, options, train, test, seed, seeding, omit, fill);
    try {
      Exit.watch(name);
      Thread thread = new Thread(null, fit, "fit " + name, STACK_BYTES);
      thread.setContextClassLoader(Bridge.class.getClassLoader());
      thread.setDaemon(true);
      thread.start();
      thread.join();
    } catch (Throwable fault) {
      fit.fault = fault;
    } finally {
      Exit.rest();
    }
    return fit.fault == null ? fit.result : refusal(fit.fault);
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
    double[] result;
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
        double[] fill) {
      this.data = data;
      this.name = name;
      this.options = options;
      this.train = train;
      this.test = test;
      this.seed = seed;
      this.seeding = seeding;
      this.omit = omit;
      this.fill = fill;
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
      found[0] = OK;
      found[1] = (middle - start) / 1e9;
      found[2] = (System.nanoTime() - middle) / 1e9;
      found[3] = train.length - learned.numInstances();
      return found;
    }
  }
}
