import 'lib';
import '#x';
