import a from '@app/a';
import b from '@app/b';
import c from '@app/core/c';
import config from 'config';
import logo from 'logo.svg';
import React from 'react';
import { join } from 'path';
import none from '@app/none';
import vue from 'vue';
