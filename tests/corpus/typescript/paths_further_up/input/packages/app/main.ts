import 'lib';
import 'built';
