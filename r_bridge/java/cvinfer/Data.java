package cvinfer;

import java.util.ArrayList;
import weka.core.Attribute;
import weka.core.DenseInstance;
import weka.core.Instance;
import weka.core.Instances;

/** A data set, converted once; splits of it share the records' arrays of values. */
public final class Data {
  private final Instances all;
  private final boolean[] gap;

  private Data(Instances all, boolean[] gap) {
    this.all = all;
    this.gap = gap;
  }

  /**
   * The class is the first attribute, as in the model frame of RWeka's formula interface.
   *
   * @param counts number of labels of each attribute, -1 for a numeric one
   * @param labels labels of all nominal attributes, one after the other
   * @param values column by column, NaN for a missing value, nominal ones as codes from 0
   */
  public static Data of(String[] names, int[] counts, String[] labels, double[] values, int n) {
    int width = names.length;
    ArrayList<Attribute> attributes = new ArrayList<>(width);
    for (int at = 0, next = 0; at < width; at++) {
      if (counts[at] < 0) {
        attributes.add(new Attribute(names[at]));
      } else {
        ArrayList<String> own = new ArrayList<>(counts[at]);
        for (int i = 0; i < counts[at]; i++) {
          own.add(labels[next++]);
        }
        attributes.add(new Attribute(names[at], own));
      }
    }
    Instances all = new Instances("R_data_frame", attributes, n);
    all.setClassIndex(0);
    boolean[] gap = new boolean[n];
    for (int row = 0; row < n; row++) {
      double[] record = new double[width];
      for (int at = 0; at < width; at++) {
        record[at] = values[at * n + row];
        gap[row] |= Double.isNaN(record[at]);
      }
      all.add(new DenseInstance(1.0, record));
    }
    return new Data(all, gap);
  }

  int width() {
    return all.numAttributes();
  }

  /** Training records in the order of rows (from 1), without those that lack a value if omit. */
  Instances training(int[] rows, boolean omit, double[] fill) {
    Instances chosen = new Instances(all, rows.length);
    for (int row : rows) {
      if (!gap[row - 1]) {
        chosen.add(all.get(row - 1));
        continue;
      }
      Instance record = filled(all.get(row - 1), fill);
      if (!omit || !record.hasMissingValue()) {
        chosen.add(record);
      }
    }
    return chosen;
  }

  /** Test records in the order of rows (from 1); what class they have is not in them. */
  Instances test(int[] rows, double[] fill) {
    Instances chosen = new Instances(all, rows.length);
    for (int row : rows) {
      Instance record = all.get(row - 1);
      if (gap[row - 1]) {
        record = filled(record, fill);
      }
      chosen.add(record);
      chosen.lastInstance().setClassMissing();
    }
    return chosen;
  }

  private static Instance filled(Instance record, double[] fill) {
    if (fill.length == 0) {
      return record;
    }
    double[] values = record.toDoubleArray();
    for (int at = 1; at < values.length; at++) {
      if (Double.isNaN(values[at])) {
        // Codes of labels count from 1 in R.
        values[at] = record.attribute(at).isNominal() ? fill[at - 1] - 1 : fill[at - 1];
      }
    }
    Instance complete = new DenseInstance(1.0, values);
    complete.setDataset(record.dataset());
    return complete;
  }
}
