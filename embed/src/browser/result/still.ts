/** Whether this visitor asked for less motion, or the theme has none. */
export const isStill = (place: Element): boolean =>
  matchMedia('(prefers-reduced-motion: reduce)').matches || place.querySelector('[data-motion="none"]') !== null
