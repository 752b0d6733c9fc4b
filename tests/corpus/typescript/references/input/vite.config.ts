import a from '@/a';
