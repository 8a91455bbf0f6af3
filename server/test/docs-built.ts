import { DocsFolder } from '../src/features/pages/docs/docs-folder.ts'

/** Otherwise the first request builds the docs, which on a busy machine takes longer than a request may, and is logged. */
export const docsBuilt = async (): Promise<void> => void (await new DocsFolder('').build())
