import { connection } from 'next/server';
import { track } from '../../program.js';

export default async () => {
  await connection();
  return <output>{track()}</output>;
};
