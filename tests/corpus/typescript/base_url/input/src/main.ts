import core from 'core';
import util from 'util';
import own from '#core';
import fs from 'node:fs';
import near from './fs';
import far from 'lodash';
import data from 'data';
import json from 'data.json';
