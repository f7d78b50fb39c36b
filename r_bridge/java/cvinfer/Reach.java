package cvinfer;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import weka.core.Option;
import weka.core.OptionHandler;
import weka.core.Utils;

/**
 * Options that lead out of a fit: to files, stored models, dictionaries, databases, the network.
 *
 * <p>Setting such an option may do the harm already, so they are found without setting any. What an
 * option is for is asked of the class that has it, in its own description.
 */
public final class Reach {
  private static final Pattern OUTSIDE =
      Pattern.compile(
          "\\b(files?|file ?names?|director(y|ies)|dir|paths?|urls?|seriali[sz]ed|jdbc|class to load)"
              + "\\b",
          Pattern.CASE_INSENSITIVE);

  /** Whatever an option may be called: texts that are places outside of the worker's directory. */
  private static final Pattern PLACE =
      Pattern.compile(
          "(/|~|\\\\\\\\).*|[A-Za-z]:[/\\\\].*|.*://.*|(file|jar|jdbc):.*|.*\\$\\{.*"
              + "|(.*[/\\\\])?\\.\\.([/\\\\].*)?",
          Pattern.DOTALL);

  private static final Pattern NAME = Pattern.compile("[A-Za-z_][\\w.$]+");

  /** Options are texts inside texts; nobody nests them deeper. */
  private static final int DEEPEST = 20;

  private static String[] known;

  private Reach() {}

  /** Those of the words, however deep inside each other, that lead outside; each once. */
  public static String[] outside(String[] jars, String name, String[] options) throws IOException {
    List<String> words = new ArrayList<>();
    collect(options, words, 0);
    Set<String> flags = new TreeSet<>(flags(name));
    for (String word : words) {
      if (NAME.matcher(word).matches()) {
        for (String each : classes(jars)) {
          // Weka takes the end of a class name for the class.
          if (each.endsWith(word)) {
            flags.addAll(flags(each));
          }
        }
      }
    }
    Set<String> found = new LinkedHashSet<>();
    for (String word : words) {
      if (flags.contains(word) || PLACE.matcher(word).matches()) {
        found.add(word);
      }
    }
    return found.toArray(new String[0]);
  }

  private static void collect(String[] options, List<String> words, int depth) {
    for (String option : options) {
      words.add(option);
      String[] inside;
      try {
        inside = Utils.splitOptions(option);
      } catch (Exception unbalanced) {
        inside = option.split("[\\s\"']+");
      }
      boolean more = inside.length > 1 || (inside.length == 1 && !inside[0].equals(option));
      if (more && depth < DEEPEST) {
        collect(inside, words, depth + 1);
      }
    }
  }

  /** The flags of a class that name things outside, by what it says of them. */
  private static List<String> flags(String name) {
    List<String> found = new ArrayList<>();
    try {
      Class<?> type = Class.forName(name, false, Reach.class.getClassLoader());
      if (!OptionHandler.class.isAssignableFrom(type) || Modifier.isAbstract(type.getModifiers())) {
        return found;
      }
      OptionHandler made = (OptionHandler) type.getDeclaredConstructor().newInstance();
      for (Option option : Collections.list(made.listOptions())) {
        if (OUTSIDE.matcher(option.synopsis() + " " + option.description()).find()) {
          found.add("-" + option.name());
        }
      }
    } catch (Exception | LinkageError none) {
      // Nor can Weka make it, then.
      return found;
    }
    return found;
  }

  private static synchronized List<String> classes(String[] jars) throws IOException {
    if (known == null) {
      TreeSet<String> found = new TreeSet<>();
      for (String jar : jars) {
        try (JarFile file = new JarFile(jar)) {
          Enumeration<JarEntry> entries = file.entries();
          while (entries.hasMoreElements()) {
            String entry = entries.nextElement().getName();
            if (entry.endsWith(".class")) {
              found.add(entry.substring(0, entry.length() - 6).replace('/', '.'));
            }
          }
        }
      }
      known = found.toArray(new String[0]);
    }
    return Arrays.asList(known);
  }
}
