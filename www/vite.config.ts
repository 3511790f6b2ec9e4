import { defineConfig } from 'vite';

export default defineConfig({
  // Patchwire's wasm is in the bundle as text: one file, larger than Vite expects of a script.
  build: { target: 'es2023', chunkSizeWarningLimit: 1000 },
});
