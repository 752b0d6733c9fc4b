console.log('loaded');
