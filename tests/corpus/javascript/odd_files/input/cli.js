#!/usr/bin/env node
import './lib.js';
