import { track } from '../program.js';

export default () => <output>{track()}</output>;
