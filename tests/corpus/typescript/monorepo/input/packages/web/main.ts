import a from '@org/shared';
import b from '@org/api';
import c from '@org/api/client/http';
import d from '@org/api/src/hidden';
