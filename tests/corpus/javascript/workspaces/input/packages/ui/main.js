import { core } from '@acme/core';
import sub from '@acme/core/src/sub';
import lib from '@acme/core/dist/built.js';
import react from 'react';
import other from '@acme/missing';
core();
