import own from './own';
