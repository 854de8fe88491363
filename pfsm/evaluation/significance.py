"""Is one metric closer to people than another? Three tests for two metrics' scores of the same items.

* `paired_bootstrap_correlations`: any statistic, in every group, for the mean over groups, and pooled; with an
  interval of the difference. Draws whole segments where it is told them.
* `perm_both`: the same, by permutation (Deutsch et al. 2021); the test in use at the WMT metrics task.
* `williams_test`: Pearson's r of independent items, from three correlations alone (Graham and Baldwin 2014).
"""

from pfsm.evaluation.paired_bootstrap import (
    Contest,
    Difference,
    PairedTest,
    paired_bootstrap,
    paired_bootstrap_correlations,
)
from pfsm.evaluation.permutation import perm_both, permutation_test
from pfsm.evaluation.williams import WilliamsTest, williams_test

__all__ = [
    "Contest",
    "Difference",
    "PairedTest",
    "WilliamsTest",
    "paired_bootstrap",
    "paired_bootstrap_correlations",
    "perm_both",
    "permutation_test",
    "williams_test",
]
