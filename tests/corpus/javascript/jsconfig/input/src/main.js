import a from '~/a';
import utils from 'utils';
import view from 'views/home';
import fs from 'fs';
import out from 'out';
