package acme.io

interface Channel
