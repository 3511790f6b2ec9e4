export default ({ children }) => (
  <html>
    <head>
      <link rel="icon" href="data:," />
    </head>
    <body>{children}</body>
  </html>
);
