export function View(props: { name: string }) {
	const onClick = () => props.name;
	return <b onClick={onClick}>{props.name} text</b>;
}
