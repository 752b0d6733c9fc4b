import one from 'lib/one';
import two from 'own/two';
