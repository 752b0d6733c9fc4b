import tool from 'tool';
import a from 'tool/features/a';
import b from 'tool/features/private-b';
import pkg from 'tool/package.json';
