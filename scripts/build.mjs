import { build } from './setup.mjs';

/** `npm run build`: compiles to dist/ when a source is newer. */
build();
