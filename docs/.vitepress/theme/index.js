import DefaultTheme from 'vitepress/theme'
import Layout from './Layout.vue'
// oxlint-disable-next-line import/no-unassigned-import -- how VitePress takes styles
import './style.css'

export default { extends: DefaultTheme, Layout }
