package cvinfer;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Map;

/** Notes that a learner called System.exit, which would end the whole process without a word. */
final class Exit extends Thread {
  private static final int STATUS = 70;
  private static final long PATIENCE_MS = 5000;
  private static volatile String running;
  private static boolean hooked;

  private Exit() {
    super("cvinfer exit");
  }

  static synchronized void watch(String name) {
    if (!hooked) {
      Runtime.getRuntime().addShutdownHook(new Exit());
      hooked = true;
    }
    running = name;
  }

  static void rest() {
    running = null;
  }

  @Override
  public void run() {
    String name = running;
    if (name == null) {
      return;
    }
    String caller = caller();
    if (caller == null) {
      // A signal ends the process, not the learner.
      return;
    }
    String file = System.getProperty("cvinfer.cause");
    if (file != null && !file.isEmpty()) {
      try {
        String text = name + " called Java's System.exit (in " + caller + ")";
        Files.write(Paths.get(file), text.getBytes(StandardCharsets.UTF_8));
      } catch (Throwable fault) {
        System.err.println("cvinfer: " + fault);
      }
    }
    kill();
  }

  /**
   * End the process at once. Neither exit nor halt would: rJava takes both for an error of R and
   * goes on with it in the wrong thread.
   */
  private static void kill() {
    try {
      new ProcessBuilder("/bin/sh", "-c", "kill -9 $PPID").start();
      Thread.sleep(PATIENCE_MS);
    } catch (Throwable fault) {
      System.err.println("cvinfer: " + fault);
    }
    Runtime.getRuntime().halt(STATUS);
  }

  /** Who is inside System.exit, or null if nobody is. */
  private static String caller() {
    for (Map.Entry<Thread, StackTraceElement[]> each : Thread.getAllStackTraces().entrySet()) {
      boolean exiting = false;
      for (StackTraceElement frame : each.getValue()) {
        boolean java = frame.getClassName().startsWith("java.lang.");
        if (java && (frame.getMethodName().equals("exit"))) {
          exiting = true;
        } else if (exiting && !java) {
          return frame.toString();
        }
      }
    }
    return null;
  }
}
