export default function Page() {
  return <p>The app itself</p>
}
