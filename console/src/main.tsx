import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { CONFIG } from './config.ts'
import { loadLanguage } from './words/words.ts'

// The lock of the scrollbar writes a style element of its own, and reads its nonce here.
Object.assign(globalThis, { __webpack_nonce__: CONFIG.nonce })

await loadLanguage(CONFIG.lang)
createRoot(CONFIG.root).render(<App />)
