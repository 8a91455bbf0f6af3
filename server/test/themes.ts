export interface ThemeData {
  version: number
  customCss: string | null
  customCssUrl: string | null
  [field: string]: unknown
}
