module math;
import :parts;
