/** The page shows a draft to those who make it: nothing is counted. */
export const isPreview = (): boolean => document.documentElement.hasAttribute('data-preview')
