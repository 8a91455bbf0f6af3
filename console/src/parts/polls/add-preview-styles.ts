import styles from '../../styles/previews.css' with { type: 'text' }
import { addStyles } from './sheet.ts'

addStyles(styles)
