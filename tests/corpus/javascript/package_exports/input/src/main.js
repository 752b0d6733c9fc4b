import log from '#log';
import deep from '#util/deep/one';
import pad from '#out';
import none from '#none';
