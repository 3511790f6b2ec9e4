import { program } from '../../program.js';

export const dynamic = 'force-dynamic';
export const GET = async () => new Response(await program(process.env.SESSION));
