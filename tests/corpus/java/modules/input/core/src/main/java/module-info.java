/** Documentation: requires nothing.nowhere; */
open module org.core {
    requires transitive org.base;
    requires java.sql; // requires java.desktop;
    uses org.core.Service;
    provides org.core.Service with org.core.Basic;
}
