package cvinfer;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import weka.classifiers.Classifier;
import weka.core.Capabilities;
import weka.core.Capabilities.Capability;
import weka.core.Option;
import weka.core.OptionHandler;
import weka.core.Randomizable;
import weka.core.Utils;
import weka.core.Version;

/** Classifiers by name, their options and seeds. */
public final class Classifiers {
  private static final Pattern SEED = Pattern.compile("\\bseed\\b", Pattern.CASE_INSENSITIVE);

  private static final Pattern CLASS = Pattern.compile("[A-Za-z_]\\w*(\\.[A-Za-z_]\\w*)+");

  private Classifiers() {}

  /**
   * Weka reads its settings, and loads the matrix library that some classifiers need, when these are
   * first asked for: at the start, and not in the time of a fit.
   */
  public static void start() {
    new Capabilities(null);
  }

  /** A classifier with its options set; setOptions blanks the array it is given. */
  static Classifier make(String name, String[] options, int seed, int seeding) throws Exception {
    Classifier made = (Classifier) type(name).getDeclaredConstructor().newInstance();
    if (!(made instanceof OptionHandler)) {
      if (options.length > 0) {
        throw new Bridge.Refusal(name + " takes no options");
      }
      return made;
    }
    OptionHandler handler = (OptionHandler) made;
    List<String> flags = seeding == 0 ? Collections.<String>emptyList() : seedFlags(handler);
    boolean chosen = false;
    for (String flag : flags) {
      chosen |= given(options, flag);
    }
    String[] all = options.clone();
    if (seeding == 2 && !chosen) {
      List<String> more = new ArrayList<>();
      for (String flag : flags) {
        more.add("-" + flag);
        more.add(Integer.toString(seed));
      }
      more.addAll(Arrays.asList(options));
      all = more.toArray(new String[0]);
    }
    try {
      handler.setOptions(all);
    } catch (ClassNotFoundException fault) {
      // setOptions blanked what it read, and the class loader of R does not say what it sought.
      throw new Bridge.Refusal("there is no class " + lacking(options, fault));
    }
    Utils.checkForRemainingOptions(all);
    if (seeding == 1 && !chosen && made instanceof Randomizable) {
      ((Randomizable) made).setSeed(seed);
    }
    return made;
  }

  /** Flags that the classifier itself calls seeds; those of what it wraps come after a heading. */
  static List<String> seedFlags(OptionHandler handler) {
    List<String> found = new ArrayList<>();
    for (Option option : Collections.list(handler.listOptions())) {
      if (option.name().isEmpty()) {
        break;
      }
      if (option.numArguments() == 1
          && SEED.matcher(option.synopsis() + " " + option.description()).find()) {
        found.add(option.name());
      }
    }
    return found;
  }

  private static boolean given(String[] options, String flag) {
    for (String option : options) {
      if (option.equals("--")) {
        return false;
      }
      if (option.equals("-" + flag)) {
        return true;
      }
    }
    return false;
  }

  /** The class named inside options that there is not. */
  private static String lacking(String[] options, ClassNotFoundException fault) {
    for (String option : options) {
      for (String word : option.split("\\s+")) {
        if (CLASS.matcher(word).matches()) {
          try {
            Class.forName(word);
          } catch (ClassNotFoundException | LinkageError none) {
            return word;
          }
        }
      }
    }
    return fault.getMessage() + " in the options";
  }

  private static Class<?> type(String name) throws Bridge.Refusal {
    Class<?> found;
    try {
      found = Class.forName(name);
    } catch (ClassNotFoundException | LinkageError fault) {
      throw new Bridge.Refusal("there is no Weka class " + name);
    }
    if (!Classifier.class.isAssignableFrom(found)) {
      throw new Bridge.Refusal(name + " is not a Weka classifier");
    }
    if (!concrete(found)) {
      throw new Bridge.Refusal(name + " is abstract: only its subclasses can be fitted");
    }
    return found;
  }

  private static boolean concrete(Class<?> type) {
    int modifiers = type.getModifiers();
    return !Modifier.isAbstract(modifiers) && Modifier.isPublic(modifiers);
  }

  /** What is wrong with class and options; then the options there are, one text each. */
  public static String[] check(String name, String[] options) {
    List<String> answer = new ArrayList<>();
    try {
      Classifier made = make(name, options.clone(), 0, 0);
      if (takesClasses(made)) {
        return new String[0];
      }
      return new String[] {name + " predicts numbers, not classes"};
    } catch (Bridge.Refusal refusal) {
      answer.add(refusal.getMessage());
    } catch (Throwable fault) {
      String text = fault.getMessage();
      answer.add(
          fault.getClass() == Exception.class && text != null ? text : Bridge.describe(fault));
    }
    try {
      answer.addAll(options(name));
    } catch (Throwable fault) {
      // Nothing to list for what is no classifier.
      return answer.toArray(new String[0]);
    }
    return answer.toArray(new String[0]);
  }

  /** Whether it can learn a nominal class at all; one that does not say so is given the chance. */
  private static boolean takesClasses(Classifier made) {
    Capabilities known = made.getCapabilities();
    return known == null
        || known.handles(Capability.NOMINAL_CLASS)
        || known.handles(Capability.BINARY_CLASS)
        || known.handles(Capability.UNARY_CLASS);
  }

  /** Each option as its synopsis and description in one line. */
  private static List<String> options(String name) throws Exception {
    List<String> found = new ArrayList<>();
    Object made = type(name).getDeclaredConstructor().newInstance();
    if (made instanceof OptionHandler) {
      for (Option option : Collections.list(((OptionHandler) made).listOptions())) {
        String text = option.synopsis() + " " + option.description();
        text = text.replaceAll("\\s+", " ").trim();
        if (!text.isEmpty()) {
          found.add(text);
        }
      }
    }
    return found;
  }

  /** Those of these class names that are classifiers and can be made. */
  public static String[] usable(String[] names) {
    List<String> found = new ArrayList<>();
    for (String name : names) {
      try {
        type(name).getConstructor();
        found.add(name);
      } catch (Bridge.Refusal | NoSuchMethodException | LinkageError none) {
        continue;
      }
    }
    return found.toArray(new String[0]);
  }

  /** Names of the classes in these jars, of weka.classifiers only in Weka's own; none is loaded. */
  public static String[] classes(String[] jars) throws IOException {
    TreeSet<String> found = new TreeSet<>();
    for (String jar : jars) {
      try (JarFile file = new JarFile(jar)) {
        boolean weka = file.getEntry("weka/core/Version.class") != null;
        Enumeration<JarEntry> entries = file.entries();
        while (entries.hasMoreElements()) {
          String entry = entries.nextElement().getName();
          if (entry.endsWith(".class")
              && entry.indexOf('$') < 0
              && (!weka || entry.startsWith("weka/classifiers/"))) {
            found.add(entry.substring(0, entry.length() - 6).replace('/', '.'));
          }
        }
      }
    }
    return found.toArray(new String[0]);
  }

  /** Flags (without the dash) of the options through which a classifier takes a seed. */
  public static String[] seeds(String name) throws Exception {
    Object made = type(name).getDeclaredConstructor().newInstance();
    return made instanceof OptionHandler
        ? seedFlags((OptionHandler) made).toArray(new String[0])
        : new String[0];
  }

  /** Versions of Weka and Java. */
  public static String[] versions() {
    return new String[] {Version.VERSION, System.getProperty("java.version")};
  }
}
