const query = new URLSearchParams(location.search);
const session = query.get('session');
const show = (text) => (document.querySelector('output').textContent = text);

if (query.get('in') === 'worker') {
  const worker = new Worker('./worker.js', { type: 'module' });
  worker.onmessage = ({ data }) => show(data);
  worker.onerror = ({ message }) => show(`error: ${message}`);
  worker.postMessage(session);
} else {
  navigator.serviceWorker.oncontrollerchange = async () => show(await (await fetch(`/program?session=${encodeURIComponent(session)}`)).text());
  navigator.serviceWorker.register('./service-worker.js').catch((error) => show(`${error}`));
}
