/** The core, in a package. */
@Checked(by = "package other;")
package org.core;

import org.base.Checked;
