import t from './template';
import own from './own';
import none from './none';
