import { readFileSync } from 'node:fs'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** Below this a compressed file saves no packet. */
const minBytes = 1400

/** Writes each file also as it is sent: the gateway compresses nothing of the interface by itself. */
function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    generateBundle: {
      // After Vite has written into the scripts what they load.
      order: 'post',
      handler(_options, bundle) {
        for (const file of Object.values(bundle)) {
          const bytes = Buffer.from(file.type === 'chunk' ? file.code : file.source)
          if (bytes.length < minBytes || !/\.(?:js|css|svg)$/.test(file.fileName)) continue
          const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
          const emit = (suffix: string, source: Buffer) =>
            this.emitFile({ type: 'asset', fileName: file.fileName + suffix, source })
          emit('.br', brotliCompressSync(bytes, { params }))
          emit('.gz', gzipSync(bytes, { level: 9 }))
        }
      },
    },
  }
}

/** The fonts are asked for with the style sheet, not after it. */
function preloadFonts(): Plugin {
  return {
    name: 'preload-fonts',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) =>
        Object.keys(bundle)
          .filter((name) => name.endsWith('.woff2'))
          .map((name) => ({
            tag: 'link',
            attrs: {
              rel: 'preload',
              as: 'font',
              type: 'font/woff2',
              href: `./${name}`,
              crossorigin: true,
            },
            injectTo: 'head' as const,
          })),
    },
  }
}

/** The licence of the fonts goes with them. Vite writes those of scripts. */
function licenseFonts(): Plugin {
  const file = new URL('node_modules/@fontsource-variable/geist/LICENSE', import.meta.url)
  return {
    name: 'license-fonts',
    apply: 'build',
    generateBundle() {
      this.emitFile({
        type: 'asset',
        fileName: 'licenses.fonts.txt',
        source: readFileSync(file, 'utf8'),
      })
    },
  }
}

export default defineConfig(({ mode }) => ({
  // Relative to <base>, which the gateway writes: the path before the interface is a setting.
  base: './',
  // The first start builds it: a hundred names of files say nothing there.
  logLevel: 'warn',
  plugins: [react(), tailwindcss(), precompress(), preloadFonts(), licenseFonts()],
  build: {
    outDir: 'dist/site',
    // Notices of what is bundled, which its licences ask for.
    license: { fileName: 'licenses.md' },
    emptyOutDir: true,
    target: 'es2023',
    // What `light-dark()` and `oklch()` need: nothing is rewritten for older ones.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // A data: URL would need font-src data:.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // What many pages have in common is one file: a file for each component takes a request each, and a tenth more.
      output: { codeSplitting: { groups: [{ name: 'common', minShareCount: 7 }] } },
      // The page of the components is built by `pnpm gallery` alone.
      ...(mode === 'gallery' && { input: 'gallery.html' }),
    },
    ...(mode === 'gallery' && { outDir: 'dist/gallery' }),
  },
  server: {
    proxy: { '^/(readyz$|(api|auth|evaluate|meta|ofrep|internal)/)': 'http://127.0.0.1:8080' },
  },
}))
