// Files that are imported `with { type: 'file' }`: their path, in a build relative to the folder of the build.
declare module '*.ttf.br' {
  const path: string
  export default path
}

declare module '*.wasm' {
  const path: string
  export default path
}

declare module '*.webp' {
  const path: string
  export default path
}

declare module '*.woff2' {
  const path: string
  export default path
}
