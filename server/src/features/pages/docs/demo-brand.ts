/** The brand that `DEMO=true` creates in an empty database. Its polls are on the page at `/`. */
export const DEMO_BRAND = { slug: 'corner-cafe', name: 'Corner Café' }
