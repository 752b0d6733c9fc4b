import b from 'b-lib';
import c from 'c-lib';
