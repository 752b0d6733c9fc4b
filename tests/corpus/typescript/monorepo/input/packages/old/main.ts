import a from '@org/shared';
